"""Mineiro, "Cosplay", 2013: random cosines and multinomial logistic regression on handwritten digits."""
