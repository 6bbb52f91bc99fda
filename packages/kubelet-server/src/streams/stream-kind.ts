import type { StreamTarget } from '@rxlet/streaming/proxy';

/** Kind of a stream, as the metrics name it. */
export type StreamKind = StreamTarget['kind'];
