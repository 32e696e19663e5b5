"""Examples of several processes; they need `pip install "minigrad-live[mpi]"`, and `mpiexec` starts them."""
