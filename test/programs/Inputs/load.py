"""Loads libibverbs at run time, as programs do that want to run without it too, and says how many devices it finds."""
import ctypes

verbs = ctypes.CDLL("libibverbs.so.1")
verbs.ibv_get_device_list.restype = ctypes.c_void_p
count = ctypes.c_int()
verbs.ibv_get_device_list(ctypes.byref(count))
print("devices:", count.value)
manager = ctypes.CDLL("librdmacm.so.1")
print("connection manager:", bool(manager.rdma_create_event_channel))
