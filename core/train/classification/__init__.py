"""What the classifiers of images and those of clips have in common: task, losses, evaluation."""
