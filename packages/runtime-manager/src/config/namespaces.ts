import { create } from '@bufbuild/protobuf';
import { NamespaceMode, type NamespaceOption, NamespaceOptionSchema, type UserNamespace } from '@rxlet/cri-api';
import type { Pod } from '@rxlet/kube-api';
import { isHostNetworkPod } from '@rxlet/pod-model';

/**
 * Returns the namespaces that a pod's sandbox and containers share with the node and with each other.
 * @param users user namespace of the pod
 * @param targetContainerId container whose process namespace an ephemeral container joins; ignored where all processes are shared
 */
export function namespaceOptions(pod: Pod, users: UserNamespace, targetContainerId = ''): NamespaceOption {
  const spec = pod.spec!;
  const pid =
    spec.hostPID === true
      ? NamespaceMode.NODE
      : spec.shareProcessNamespace === true
        ? NamespaceMode.POD
        : targetContainerId !== ''
          ? NamespaceMode.TARGET
          : NamespaceMode.CONTAINER;
  return create(NamespaceOptionSchema, {
    network: isHostNetworkPod(pod) ? NamespaceMode.NODE : NamespaceMode.POD,
    ipc: spec.hostIPC === true ? NamespaceMode.NODE : NamespaceMode.POD,
    pid,
    targetId: pid === NamespaceMode.TARGET ? targetContainerId : '',
    usernsOptions: users,
  });
}
