/** An event of a stream of server-sent events. */
export interface ServerSentEvent {
  readonly event: string;
  /** Position of the stream, which a client that comes back states in `Last-Event-ID`. */
  readonly id?: string;
  /** Sent as JSON, which has no line breaks. */
  readonly data: unknown;
}

/** Content type of {@link formatEvent}. */
export const EVENT_STREAM = 'text/event-stream';

const encoder = new TextEncoder();

/** Returns an event in the wire format of server-sent events (WHATWG HTML, 9.2). */
export function formatEvent({ event, id, data }: ServerSentEvent): Uint8Array {
  const position = id === undefined ? '' : `id: ${id}\n`;
  return encoder.encode(`event: ${event}\n${position}data: ${JSON.stringify(data)}\n\n`);
}
