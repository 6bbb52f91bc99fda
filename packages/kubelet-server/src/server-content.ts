import { type CollectionKey, healthChecks, type ModuleContext } from '@rxlet/agent-api';
import { httpEndpoints } from '@rxlet/agent-api/http';
import { createJournalProgram, type JournalProgram } from './endpoints/node-logs/journal-program.ts';
import type { KubeletServerPorts } from './ports.ts';

/** Content of the endpoints that the agent's modules do not have. */
export interface ServerContent extends Pick<
  KubeletServerPorts,
  'configuration' | 'flags' | 'metrics' | 'setVerbosity' | 'startTimeMs' | 'version'
> {
  /** Directory of the files below `/logs/`. Default: `/var/log`. */
  readonly nodeLogsDirectory?: string;
  /** Reads the journal of the node for queries of `/logs/`. Default: the program `journalctl`. */
  readonly journal?: JournalProgram;
}

/** Collections of the modules that serve HTTP. */
export const servedCollections: readonly CollectionKey<unknown>[] = [healthChecks, httpEndpoints];

/** Returns the content of the endpoints of an agent. The contributions of modules are read when it is called. */
export function serverPorts(
  context: ModuleContext,
  { nodeLogsDirectory = '/var/log', journal = createJournalProgram(), ...content }: ServerContent,
): KubeletServerPorts {
  const { clock, logger, node, core, collections, runtime, hostFiles } = context;
  return {
    ...content,
    clock,
    logger,
    pods: core.pods,
    events: core.events,
    sourcesReady: core.sourcesReady,
    sourceProblems: core.sourceProblems,
    healthChecks: collections.of(healthChecks),
    endpoints: collections.of(httpEndpoints),
    runtime,
    nodeLogs: { hostFiles, directory: nodeLogsDirectory, journal },
    checkpointDirectory: `${node.rootDirectory}/checkpoints`,
    debugState: core.debugState,
  };
}
