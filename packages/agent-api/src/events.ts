export type { EventList } from './agent-core.ts';
export { type EventSink, eventSinks } from './core-collections.ts';
