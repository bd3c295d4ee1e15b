# Green contexts of PyTorch (2.12 and later): each tenant works on its own stream.
@TENANTS@
# A part is exclusive only if every tenant has one, and if no two parts overlap: each is cut from the whole device, and
# the driver rounds its size. Where they must not overlap, cut the device once, as execution-contexts.c does.
import torch

parts = [torch.cuda.green_contexts.GreenContext.create(num_sms=units) for units in (@UNITS@,)]
streams = [part.Stream() for part in parts]
# In the thread of tenant N:  with torch.cuda.stream(streams[N]): ...
