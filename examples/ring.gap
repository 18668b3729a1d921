# LRX: seven pieces in a ring, which turns by one place (L, and L' backwards), and of which the first two are swapped.
L:=(1,7,6,5,4,3,2);
X:=(1,2);
