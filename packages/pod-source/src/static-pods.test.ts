import { readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import type { Pod } from '@rxlet/kube-api';
import { PodAnnotation } from '@rxlet/pod-model';
import { describe, expect, it } from 'vitest';
import { decodeManifest } from './decode-manifest.ts';
import { ManifestError } from './manifest-error.ts';

/** What a kubelet made of a manifest. */
interface Recorded {
  readonly name: string;
  readonly manifest: string;
  readonly accepted: boolean;
  readonly isPod: boolean;
  readonly pod?: Pod;
  readonly fieldErrors?: readonly { readonly field: string }[] | null;
}

type Answer = { readonly pod: Pick<Pod, 'metadata' | 'spec'> } | { readonly fields: readonly string[] };

const recorded = gunzipSync(readFileSync(new URL('fixtures/static-pods.jsonl.gz', import.meta.url)))
  .toString()
  .trimEnd()
  .split('\n')
  .map((line) => JSON.parse(line) as Recorded);

/** The recording leaves out the UID, which is a kubelet's own affair. */
function withoutIdentity({ metadata, spec }: Pod): Pick<Pod, 'metadata' | 'spec'> {
  const { uid: _, annotations, ...rest } = metadata ?? {};
  const { [PodAnnotation.configHash]: _hash, ...others } = annotations ?? {};
  return { metadata: { ...rest, ...(Object.keys(others).length > 0 && { annotations: others }) }, spec: spec! };
}

/** Where it got as far as fields; the recorded kubelet did not allow privileged containers. */
function answer({ manifest, isPod }: Recorded): Answer {
  try {
    const options = {
      nodeName: 'node1',
      origin: { file: '/etc/kubernetes/manifests/pod.yaml' },
      allowPrivileged: false,
    };
    return { pod: withoutIdentity(decodeManifest(manifest, options).pod) };
  } catch (error) {
    if (!(error instanceof ManifestError)) throw error;
    return { fields: isPod ? [...new Set(error.problems.map(({ field }) => field))].sort() : [] };
  }
}

function wanted({ accepted, pod, fieldErrors }: Recorded): Answer {
  if (accepted) return { pod: withoutIdentity(pod!) };
  return { fields: [...new Set(fieldErrors?.map(({ field }) => field))].sort() };
}

describe('decodeManifest', () => {
  it('accepts, completes and refuses pods as a kubelet does', () => {
    expect(recorded).toHaveLength(170);
    const got = recorded.map((line) => ({ name: line.name, answer: answer(line) }));
    expect(got).toEqual(recorded.map((line) => ({ name: line.name, answer: wanted(line) })));
  });
});
