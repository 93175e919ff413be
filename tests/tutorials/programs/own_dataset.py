"""A data set of one's own: files on disk, transforms, workers, samplers, a stream, and a training loop by hand."""

import csv
import os

import numpy as np
import paddle
import paddle.nn.functional as F
from paddle import nn
from paddle.io import BatchSampler, DataLoader, Dataset, IterableDataset, Subset
from paddle.vision import transforms as T


def write_files(folder, count):
    """Write one image file for each sample, and a table of labels."""
    os.makedirs(folder, exist_ok=True)
    rng = np.random.RandomState(3)
    with open(os.path.join(folder, "labels.csv"), "w", newline="") as file:
        writer = csv.writer(file)
        for number in range(count):
            label = int(rng.randint(3))
            image = rng.randint(0, 90, (12, 12, 3))
            image[..., label] += 100  # the class is the strongest colour
            np.save(os.path.join(folder, f"{number:03d}.npy"), image.astype("uint8"))
            writer.writerow([f"{number:03d}.npy", label])


class Colours(Dataset):
    """Images and labels from a folder."""

    def __init__(self, folder, transform=None):
        super().__init__()
        self.folder = folder
        with open(os.path.join(folder, "labels.csv"), newline="") as file:
            self.rows = [(name, int(label)) for name, label in csv.reader(file)]
        self.transform = transform

    def __getitem__(self, index):
        name, label = self.rows[index]
        image = np.load(os.path.join(self.folder, name))
        if self.transform is not None:
            image = self.transform(image)
        return image, np.array([label], dtype="int64")

    def __len__(self):
        return len(self.rows)


class Counter(IterableDataset):
    """A stream that its workers share."""

    def __init__(self, end):
        super().__init__()
        self.end = end

    def __iter__(self):
        info = paddle.io.get_worker_info()
        first, step = (0, 1) if info is None else (info.id, info.num_workers)
        for number in range(first, self.end, step):
            yield np.array([number], dtype="int64")


def halves(batch):
    """Collate samples: images at half brightness, labels without an axis of one."""
    images = np.stack([image for image, _ in batch]) * np.float32(0.5)
    return paddle.to_tensor(images), paddle.to_tensor(np.concatenate([label for _, label in batch]))


def main():
    write_files("colours", 120)
    transform = T.Compose([T.Resize((8, 8)), T.Transpose(), T.Normalize(mean=[127.5] * 3, std=[127.5] * 3)])
    dataset = Colours("colours", transform)
    image, label = dataset[0]
    print("sample:", *image.shape, label.dtype, f"{float(image.mean()):.3f}")

    train = Subset(dataset, range(96))
    valid = Subset(dataset, range(96, 120))
    sampler = BatchSampler(train, batch_size=16, shuffle=False, drop_last=True)
    loader = DataLoader(train, batch_sampler=sampler, num_workers=2, persistent_workers=True)
    network = nn.Sequential(nn.Flatten(), nn.Linear(192, 3))
    rng = np.random.RandomState(4)
    network[1].weight.set_value(rng.normal(0, 0.02, [192, 3]).astype("float32"))
    optimizer = paddle.optimizer.AdamW(0.003, parameters=network.parameters(), weight_decay=0.01)
    metric = paddle.metric.Accuracy()
    losses = []
    for epoch in range(3):
        for images, labels in loader:
            logits = network(images)
            loss = F.cross_entropy(logits, labels)
            metric.update(metric.compute(logits, labels))
            loss.backward()
            optimizer.step()
            optimizer.clear_grad()
            losses.append(loss.item())
    print("batches:", len(loader), "losses:", *[f"{losses[i]:.4f}" for i in (0, 1, 5, -1)])
    print("training accuracy:", f"{metric.accumulate():.4f}")

    network.eval()
    right = total = 0
    with paddle.no_grad():
        for images, labels in DataLoader(valid, batch_size=10, num_workers=0):
            right += int((network(images).argmax(axis=1, keepdim=True) == labels).sum())
            total += len(labels)
    print("right:", right, "of", total)

    images, labels = next(iter(DataLoader(valid, batch_size=5, collate_fn=halves)))
    print("collated:", *images.shape, *labels.shape, f"{float(images.abs().max()) <= 0.5}")
    stream = DataLoader(Counter(10), batch_size=None, num_workers=2)
    print("stream:", *sorted(int(number) for number in stream))
    parts = paddle.io.random_split(dataset, [100, 20])
    indices = sorted([*parts[0].indices, *parts[1].indices])
    print("split:", len(parts[0]), len(parts[1]), indices == list(range(120)))
    weights = paddle.io.WeightedRandomSampler([0.0, 1.0, 0.0], 4, replacement=True)
    print("weighted:", [int(index) for index in weights])


if __name__ == "__main__":
    main()
