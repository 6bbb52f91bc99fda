import type { ProviderVariable } from './credential-provider-config.ts';

/** A provider's program that is to run once. */
export interface ProviderCommand {
  readonly name: string;
  readonly args: readonly string[];
  /** Added to the agent's own environment, over which it goes. */
  readonly env: readonly ProviderVariable[];
  /** May hold a token. */
  readonly stdin: string;
}

/** How a program ended. Both texts may hold secrets. */
export interface ProviderResult {
  /** `undefined` when it was killed by a signal. */
  readonly exitCode: number | undefined;
  readonly stdout: string;
  /** Its beginning. */
  readonly stderr: string;
}

/** Runs the programs of credential providers. The machine's own: `createNodeProviderProcesses`. */
export interface ProviderProcesses {
  /**
   * Rejects when the program cannot be run, writes too much, or `signal` aborts; then it and what it started are killed. Messages quote nothing of
   * what it wrote.
   */
  run(command: ProviderCommand, signal: AbortSignal): Promise<ProviderResult>;
}
