import type { DockerHostConfig } from '../engine/docker-types.ts';

/**
 * Docker's log of a container. It is the buffer from which the log of the CRI is written, so that no line is lost while the shim is away; its size is bounded, so
 * that a long absence costs old lines and not the disk.
 */
export const LOG_CONFIG: NonNullable<DockerHostConfig['LogConfig']> = {
  Type: 'json-file',
  Config: { 'max-size': '16m', 'max-file': '2' },
};

/** Docker's log of sandboxes, whose process prints nothing. */
export const NO_LOG: NonNullable<DockerHostConfig['LogConfig']> = { Type: 'none', Config: {} };
