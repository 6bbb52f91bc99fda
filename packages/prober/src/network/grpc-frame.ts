/** A message as gRPC sends it: one byte for no compression, four for the length, and the message. */
export function frameMessage(message: Uint8Array): Uint8Array {
  const frame = new Uint8Array(5 + message.length);
  new DataView(frame.buffer).setUint32(1, message.length);
  frame.set(message, 5);
  return frame;
}

/** The message of a body that holds exactly one, not compressed. */
export function unframeMessage(body: Uint8Array): Uint8Array | undefined {
  if (body.length < 5 || body[0] !== 0) return undefined;
  const length = new DataView(body.buffer, body.byteOffset).getUint32(1);
  return body.length === 5 + length ? body.subarray(5) : undefined;
}
