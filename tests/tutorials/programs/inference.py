"""Deployment: a trained network is saved as a program and served with paddle.inference, from several threads too."""

import threading

import numpy as np
import paddle
from paddle import nn
from paddle.inference import Config, create_predictor
from paddle.static import InputSpec

rng = np.random.RandomState(10)
MODEL = "served/model"


class Classifier(nn.Layer):
    def __init__(self):
        super().__init__()
        self.body = nn.Sequential(
            nn.Conv2D(1, 8, 3, padding=1), nn.BatchNorm2D(8), nn.ReLU(), nn.MaxPool2D(2), nn.Flatten()
        )
        self.head = nn.Linear(8 * 16, 3)

    def forward(self, image):
        features = self.body(image)
        return nn.functional.softmax(self.head(features)), features


def stripes(count):
    """Return images with horizontal, vertical or no stripes, and which."""
    images, labels = rng.normal(0, 0.3, (count, 1, 8, 8)).astype("float32"), rng.randint(0, 3, count)
    for image, label in zip(images, labels):
        if label == 0:
            image[0, ::2] += 1
        elif label == 1:
            image[0, :, ::2] += 1
    return images, labels.astype("int64")


network = Classifier()
for parameter in network.parameters():
    if parameter.ndim > 1:
        parameter.set_value(rng.normal(0, 0.2, parameter.shape).astype("float32"))
optimizer = paddle.optimizer.RMSProp(0.003, parameters=network.parameters())
images, labels = stripes(128)
for step in range(24):
    part = slice(32 * (step % 4), 32 * (step % 4) + 32)
    scores, _ = network(paddle.to_tensor(images[part]))
    loss = nn.functional.nll_loss(paddle.log(scores), paddle.to_tensor(labels[part]))
    loss.backward()
    optimizer.step()
    optimizer.clear_grad()
network.eval()
paddle.jit.save(network, MODEL, input_spec=[InputSpec([None, 1, 8, 8], "float32", name="image")])

config = Config(MODEL + ".pdmodel", MODEL + ".pdiparams")
config.disable_gpu()
config.enable_mkldnn()
config.set_mkldnn_cache_capacity(10)
config.set_cpu_math_library_num_threads(2)
config.switch_ir_optim(True)
config.enable_memory_optim()
config.disable_glog_info()
config.switch_use_feed_fetch_ops(False)
config.delete_pass("conv_elementwise_add_act_fuse_pass")
print("config:", config.use_gpu(), config.ir_optim(), config.cpu_math_library_num_threads(), config.prog_file())
predictor = create_predictor(config)

names = predictor.get_input_names()
print("inputs:", *names, "outputs:", len(predictor.get_output_names()))
images, labels = stripes(64)


def predict(predictor, batch):
    handle = predictor.get_input_handle(predictor.get_input_names()[0])
    handle.reshape(batch.shape)
    handle.copy_from_cpu(batch)
    predictor.run()
    return [predictor.get_output_handle(name).copy_to_cpu() for name in predictor.get_output_names()]


with paddle.no_grad():
    expected = [output.numpy() for output in network(paddle.to_tensor(images))]
for size in (64, 1, 5):
    scores, features = predict(predictor, images[:size])
    same = np.abs(scores - expected[0][:size]).max() < 1e-4 and np.abs(features - expected[1][:size]).max() < 1e-4
    print("batch", size, *scores.shape, *features.shape, bool(same))
scores, _ = predict(predictor, images)
print("accuracy at least 0.9:", float((scores.argmax(1) == labels).mean()) >= 0.9)
handle = predictor.get_output_handle(predictor.get_output_names()[0])
print("handle:", handle.shape(), handle.type().name)

results = {}


def serve(number, own):
    for repeat in range(5):
        results[number] = predict(own, images[8 * number : 8 * number + 8])[0]


threads = [threading.Thread(target=serve, args=(number, predictor.clone())) for number in range(4)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
agree = [np.abs(results[number] - expected[0][8 * number : 8 * number + 8]).max() < 1e-4 for number in range(4)]
print("threads:", *map(bool, agree))
predictor.clear_intermediate_tensor()
predictor.try_shrink_memory()
print("after shrinking:", bool(np.abs(predict(predictor, images)[0] - expected[0]).max() < 1e-4))
