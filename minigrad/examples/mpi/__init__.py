"""Examples of several processes; they need `pip install "minigrad[mpi]"`, and `mpiexec` starts them."""
