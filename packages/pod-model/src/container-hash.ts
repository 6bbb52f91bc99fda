import { goJson } from './go-json.ts';

const FNV_OFFSET_BASIS = 0x811c9dc5;
const FNV_PRIME = 0x01000193;
const SPACE = 0x20;
const DIGIT_ZERO = 0x30;

const encoder = new TextEncoder();
const openDump = encoder.encode('([]uint8)[');
const closeDump = encoder.encode(']');

/**
 * The hash a kubelet puts into annotation `io.kubernetes.container.hash`, lower-case hex without leading zeros. A running container whose hash differs from
 * its spec's is replaced, so this has to agree bit for bit with kubelets for one agent to take over another's containers.
 *
 * Only name and image count. It is FNV-1a over the text that Go's spew prints (`%#v`) for the bytes of the JSON object of both.
 */
export function containerHash(container: { readonly name: string; readonly image?: string | undefined }): string {
  const json = `{"image":${goJson((container.image ?? '').toWellFormed())},"name":${goJson(container.name.toWellFormed())}}`;
  let hash = FNV_OFFSET_BASIS;
  const feed = (byte: number): void => {
    hash = Math.imul(hash ^ byte, FNV_PRIME);
  };
  openDump.forEach(feed);
  encoder.encode(json).forEach((byte, index) => {
    if (index > 0) feed(SPACE);
    if (byte >= 100) feed(DIGIT_ZERO + Math.trunc(byte / 100));
    if (byte >= 10) feed(DIGIT_ZERO + (Math.trunc(byte / 10) % 10));
    feed(DIGIT_ZERO + (byte % 10));
  });
  closeDump.forEach(feed);
  return (hash >>> 0).toString(16);
}
