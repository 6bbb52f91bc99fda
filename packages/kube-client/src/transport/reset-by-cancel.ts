import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import type { ClientHttp2Stream } from 'node:http2';
import { constants } from 'node:http2';

const CHANNEL = 'http2.client.stream.created';

let users = 0;

/**
 * Resets the HTTP/2 streams of requests that are aborted with CANCEL, until it is disposed of.
 *
 * undici (8.13 and earlier) closes the stream of an aborted request without an error code, and destroys it. Node.js sends the queued body of such a stream before the
 * reset, finds no stream to read it from, and writes empty frames without end: the process hangs, and its memory grows by hundreds of megabytes a second. A reset with
 * CANCEL drops the body. Streams are reached by the diagnostics channel, since undici gives no access to them.
 */
export function resetByCancel(): Disposable {
  users += 1;
  if (users === 1) subscribe(CHANNEL, cancelWithoutCode);
  let isDisposed = false;
  return {
    [Symbol.dispose]() {
      if (isDisposed) return;
      isDisposed = true;
      users -= 1;
      if (users === 0) unsubscribe(CHANNEL, cancelWithoutCode);
    },
  };
}

function cancelWithoutCode(message: unknown): void {
  const { stream } = message as { readonly stream: ClientHttp2Stream };
  const close = stream.close.bind(stream);
  stream.close = (code = constants.NGHTTP2_CANCEL, callback) => close(code, callback);
}
