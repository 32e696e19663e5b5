"""Five nets on real data, each one file that runs on minigrad and, with ``import torch`` in its first line, on PyTorch.

    python -m minigrad.examples.mlp      a net with two hidden layers reads digits
    python -m minigrad.examples.cnn      convolutions read them better
    python -m minigrad.examples.lstm     a recurrent net guesses the next letter of Python's manual
    python -m minigrad.examples.gpt      a small transformer does it better
    python -m minigrad.examples.vae      a variational autoencoder learns to draw digits

Each has the same three parts: ``make()`` builds the net, ``batch(step)`` gives the data of a step, and
``train(net, steps)`` takes `steps` steps and returns the losses. From the same weights,
the losses on both libraries agree.

With ``--distributed`` several ranks share each batch, here with MPI and on PyTorch with gloo:

    mpiexec -n 4 minigrad run -m minigrad.examples.mlp --distributed

Three changes make it so: the process group, `DistributedDataParallel` around the net, and the rank's share of a batch.
"""
