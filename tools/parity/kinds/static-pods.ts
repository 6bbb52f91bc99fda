import type { Pod } from '@rxlet/kube-api';
import { PodAnnotation } from '@rxlet/pod-model';
import { decodeManifest, ManifestError } from '@rxlet/pod-source';
import type { Answer } from '../vector-kind.ts';

interface StaticPodVector {
  readonly manifest: string;
  readonly accepted: boolean;
  readonly isPod: boolean;
  readonly pod?: Pod;
  readonly fieldErrors?: readonly { readonly field: string }[] | null;
}

/** The accepted pod, or the fields for which a manifest was rejected. */
type Decision = { readonly pod: Pick<Pod, 'metadata' | 'spec'> } | { readonly rejectedFields: readonly string[] };

/** Decodes a manifest: accepted, with the defaulted pod, or rejected. */
export async function run(vector: StaticPodVector): Promise<Answer> {
  return { got: await decide(vector), want: recordedDecision(vector) };
}

/** Fields are compared where the kubelet decoded them; the recorded one did not allow privileged containers. */
async function decide({ manifest, isPod }: StaticPodVector): Promise<Decision> {
  try {
    const options = {
      nodeName: 'node1',
      origin: { file: '/etc/kubernetes/manifests/pod.yaml' },
      allowPrivileged: false,
    };
    return { pod: withoutIdentity((await decodeManifest(manifest, options)).pod) };
  } catch (error) {
    if (!(error instanceof ManifestError)) throw error;
    return { rejectedFields: isPod ? distinct(error.problems.map(({ field }) => field)) : [] };
  }
}

function recordedDecision({ accepted, pod = {}, fieldErrors }: StaticPodVector): Decision {
  if (accepted) return { pod: withoutIdentity(pod) };
  return { rejectedFields: distinct((fieldErrors ?? []).map(({ field }) => field)) };
}

/** The recording omits the UID, which each kubelet derives itself. */
function withoutIdentity({ metadata, spec }: Pod): Pick<Pod, 'metadata' | 'spec'> {
  const { uid: _, annotations, ...rest } = metadata ?? {};
  const { [PodAnnotation.configHash]: _hash, ...others } = annotations ?? {};
  return { metadata: { ...rest, ...(Object.keys(others).length > 0 && { annotations: others }) }, spec: spec! };
}

function distinct(fields: readonly string[]): string[] {
  return [...new Set(fields)].sort();
}
