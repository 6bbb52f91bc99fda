/** A server-sent event. */
export interface ServerSentEvent {
  /** Absent for a sign of life without content. */
  readonly data?: string;
  readonly id?: string;
  /** Absent for a message. */
  readonly event?: string;
}

/** Yields the events of a stream of server-sent events, as they come. */
export async function* readMessages(body: ReadableStream<Uint8Array>): AsyncGenerator<ServerSentEvent> {
  let text = '';
  for await (const piece of body.pipeThrough(new TextDecoderStream() as ReadableWritablePair<string, Uint8Array>)) {
    text += piece;
    let end = text.indexOf('\n\n');
    while (end >= 0) {
      yield parseEvent(text.slice(0, end));
      text = text.slice(end + 2);
      end = text.indexOf('\n\n');
    }
  }
}

function parseEvent(text: string): ServerSentEvent {
  const event: { data?: string; id?: string; event?: string } = {};
  for (const line of text.split('\n')) {
    if (line.startsWith('data: ')) event.data = line.slice('data: '.length);
    else if (line.startsWith('event: ')) event.event = line.slice('event: '.length);
    else if (line.startsWith('id: ')) event.id = line.slice('id: '.length);
  }
  return event;
}
