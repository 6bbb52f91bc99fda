import type { EnsuredImage } from '@rxlet/agent-api/images';
import type { Container, EphemeralContainer, Pod } from '@rxlet/kube-api';
import type { ContainerKind } from '@rxlet/pod-model';
import type { RuntimePodStatus } from '@rxlet/pod-model/runtime';
import type { EtcHosts } from './container-mounts.ts';
import type { SandboxHandle } from './create-sandbox.ts';
import type { ImageVolumes } from './image-volumes.ts';

/** Container to start, with its pod, sandbox and image. */
export interface StartContainerRequest {
  readonly pod: Pod;
  readonly kind: ContainerKind;
  readonly container: Container | EphemeralContainer;
  /** Status of the pod when the sync began. */
  readonly status: RuntimePodStatus;
  readonly sandbox: SandboxHandle;
  /** Makes the image present. @throws StepFailure */
  readonly image: () => Promise<EnsuredImage>;
  readonly imageVolumes: ImageVolumes;
  readonly etcHosts: EtcHosts;
  readonly signal?: AbortSignal | undefined;
}
