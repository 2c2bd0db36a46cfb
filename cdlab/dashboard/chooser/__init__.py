"""The choices of the screen: data, sampling and algorithm in three rows, with the guess, Run and Step; the stories."""
