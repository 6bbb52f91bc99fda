import { decodeManifest, type ManifestOrigin } from '@rxlet/pod-source';
import type { Answer } from '../vector-kind.ts';

interface StaticPodUidsVector {
  readonly input: { readonly manifest: string; readonly node: string; readonly file?: string; readonly url?: string };
  readonly want: { readonly uid: string };
}

/** Returns the UID of a static pod without one. */
export async function run({ input, want }: StaticPodUidsVector): Promise<Answer> {
  const { manifest, node, file, url } = input;
  const origin: ManifestOrigin = file === undefined ? { url: url! } : { file };
  const { pod } = await decodeManifest(manifest, { nodeName: node, origin });
  return { got: pod.metadata?.uid, want: want.uid };
}
