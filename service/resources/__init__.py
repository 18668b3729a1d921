"""The resources below /v1, one module each, and the operations beside them."""
