import { create } from '@bufbuild/protobuf';
import { NamespaceMode, type NamespaceOption, NamespaceOptionSchema } from '@rxlet/cri-api';
import type { Pod } from '@rxlet/kube-api';
import { isHostNetworkPod } from '@rxlet/pod-model';

/**
 * Which namespaces a pod's sandbox and containers share with the node and with each other.
 * @param targetContainerId the container whose processes an ephemeral container wants to see; heeded only where processes are not shared anyway.
 */
export function namespaceOptions(pod: Pod, targetContainerId = ''): NamespaceOption {
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
    // User namespaces of pods (`hostUsers: false`) are refused before it comes to this.
    usernsOptions: { mode: NamespaceMode.NODE },
  });
}
