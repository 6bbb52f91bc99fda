"""Drives a fake runtime through the life of a pod with Python's gRPC. Arguments: socket, descriptor set, log directory. Prints a line for each step."""

import sys
import threading

import grpc
from google.protobuf import descriptor_pb2, descriptor_pool, message_factory

socket, descriptors, log_directory = sys.argv[1:]
files = descriptor_pb2.FileDescriptorSet()
with open(descriptors, "rb") as file:
    files.ParseFromString(file.read())
pool = descriptor_pool.DescriptorPool()
for each in files.file:
    pool.Add(each)
factory = message_factory.MessageFactory(pool)
channel = grpc.insecure_channel("unix:" + socket)


def method(service, name, streaming=False):
    """A callable for an RPC, which takes the fields of its request."""
    rpc = pool.FindServiceByName(service).FindMethodByName(name)
    request = factory.GetPrototype(rpc.input_type)
    response = factory.GetPrototype(rpc.output_type)
    make = channel.unary_stream if streaming else channel.unary_unary
    call = make("/%s/%s" % (service, name), request.SerializeToString, response.FromString)
    return lambda **fields: call(request(**fields), timeout=10)


def runtime(name, **fields):
    return method("runtime.v1.RuntimeService", name)(**fields)


print("version", runtime("Version").runtime_name)
print("pull", method("runtime.v1.ImageService", "PullImage")(image={"image": "busybox"}).image_ref != "")

events = method("runtime.v1.RuntimeService", "GetContainerEvents", streaming=True)()
seen = []


def read_events():
    try:
        for event in events:
            seen.append((event.container_id, event.container_event_type))
    except grpc.RpcError:
        pass


reader = threading.Thread(target=read_events)
reader.start()

sandbox_config = {
    "metadata": {"name": "web", "namespace": "default", "uid": "1"},
    "log_directory": log_directory,
}
# Until the subscription has reached the server, events are lost: the first that comes is of a pod that is only there for that.
while not seen:
    probe = dict(sandbox_config, metadata={"name": "probe", "namespace": "default", "uid": "0"})
    probe_id = runtime("RunPodSandbox", config=probe).pod_sandbox_id
    runtime("RemovePodSandbox", pod_sandbox_id=probe_id)

sandbox = runtime("RunPodSandbox", config=sandbox_config).pod_sandbox_id
container = runtime(
    "CreateContainer",
    pod_sandbox_id=sandbox,
    sandbox_config=sandbox_config,
    config={
        "metadata": {"name": "main"},
        "image": {"image": "busybox"},
        "command": ["sh", "-c", "echo up; sleep 3600"],
        "log_path": "main.log",
    },
).container_id
runtime("StartContainer", container_id=container)
print("state", runtime("ContainerStatus", container_id=container).status.state)
answer = runtime("ExecSync", container_id=container, cmd=["sh", "-c", "echo hello; exit 3"], timeout=5)
print("exec", answer.stdout.decode().strip(), answer.exit_code)
print("stats", runtime("ContainerStats", container_id=container).stats.attributes.id == container)
with open(log_directory + "/main.log") as log:
    print("log", log.read().split(" ", 1)[1].strip())
runtime("StopContainer", container_id=container, timeout=1)
stopped = runtime("ContainerStatus", container_id=container).status
print("exit", stopped.exit_code, stopped.reason)
runtime("RemoveContainer", container_id=container)
runtime("StopPodSandbox", pod_sandbox_id=sandbox)
runtime("RemovePodSandbox", pod_sandbox_id=sandbox)
print("left", len(runtime("ListPodSandbox").items), len(runtime("ListContainers").containers))
try:
    runtime("ContainerStatus", container_id=container)
except grpc.RpcError as error:
    print("gone", error.code().name)
while (sandbox, 3) not in seen:
    pass
print("events", [kind for who, kind in seen if who == container])
health = method("grpc.health.v1.Health", "Check")(service="")
print("health", health.status)
events.cancel()
reader.join()
