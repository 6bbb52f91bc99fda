export { type CheckpointFile, createCheckpointFile } from './state-file/checkpoint-file.ts';
export { createFileStateStore, StateFileError } from './state-file/file-state-store.ts';
export { createStateSaver, type StateSaver } from './state-file/state-saver.ts';
export type { StateStore } from './state-file/state-store.ts';
