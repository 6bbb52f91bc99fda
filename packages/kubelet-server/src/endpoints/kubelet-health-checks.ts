import type { HealthCheck } from '@rxlet/agent-api';

/** Health checks of a kubelet, in its order. Those of other names are for people: no one should restart an agent whose runtime is down. */
const NAMES: readonly string[] = ['ping', 'log', 'syncloop', 'device-plugin'];

/** The agent writes its log before it goes on, so that there is nothing that could be stuck. */
const log: HealthCheck = { name: 'log', check: () => undefined };

/** Returns the health checks that a kubelet has, out of those of the agent. */
export function kubeletHealthChecks(checks: readonly HealthCheck[]): readonly HealthCheck[] {
  return NAMES.flatMap((name) => checks.find((check) => check.name === name) ?? (name === 'log' ? [log] : []));
}
