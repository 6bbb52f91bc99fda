/** Returns a gRPC frame of a message: a byte without compression flag, four bytes of length, the message. */
export function frameMessage(message: Uint8Array): Uint8Array {
  const frame = new Uint8Array(5 + message.length);
  new DataView(frame.buffer).setUint32(1, message.length);
  frame.set(message, 5);
  return frame;
}

/** Returns the message of a body with exactly one uncompressed frame; `undefined` for any other body. */
export function unframeMessage(body: Uint8Array): Uint8Array | undefined {
  if (body.length < 5 || body[0] !== 0) return undefined;
  const length = new DataView(body.buffer, body.byteOffset).getUint32(1);
  return body.length === 5 + length ? body.subarray(5) : undefined;
}
