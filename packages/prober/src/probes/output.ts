/** Maximum output of a probe. */
export const MAX_OUTPUT_BYTES: number = 10 * 1024;

/** Returns output as text, cut to {@link MAX_OUTPUT_BYTES}. */
export function outputText(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, Math.min(bytes.length, MAX_OUTPUT_BYTES)).toString();
}
