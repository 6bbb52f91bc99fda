import { join } from 'node:path';
import { type AgentModule, contribute } from '@rxlet/agent-api';
import { statusRestorers } from '@rxlet/agent-api/statuses';
import { createStatusCheckpoint, type StatusCheckpointOptions } from './status-checkpoint.ts';

/** Creates the agent module that keeps pod statuses over a restart of the agent, in the file `pod_statuses` of the agent's root directory. */
export function statusCheckpoint(options: StatusCheckpointOptions = {}): AgentModule {
  return {
    name: 'status-checkpoint',
    setup({ clock, files, logger, node }) {
      const path = join(node.rootDirectory, 'pod_statuses');
      const checkpoint = createStatusCheckpoint({ clock, files, path, logger }, options);
      return {
        contributions: [contribute(statusRestorers, checkpoint)],
        [Symbol.asyncDispose]: () => checkpoint[Symbol.asyncDispose](),
      };
    },
  };
}
