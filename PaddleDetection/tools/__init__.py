"""Commands beside training: anchors of a data set, and annotations in COCO's format."""
