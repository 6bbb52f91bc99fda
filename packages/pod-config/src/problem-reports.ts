import { type PodSourceProblem, problemKey } from '@rxlet/agent-api/sources';
import type { Logger } from '@rxlet/component-base';
import type { EventRecorder } from '@rxlet/component-base/events';
import type { Metrics } from '@rxlet/component-base/metrics';
import { podEventObject } from '@rxlet/pod-model';

/** Destinations of reports about problems. */
export interface ProblemReportPorts {
  readonly events: EventRecorder;
  readonly logger: Logger;
  readonly metrics: Metrics;
}

/**
 * Creates a function that takes the present problems of all sources and reports what changed: a log line for each new problem and each path without
 * further problems, an event for each new problem of a pod, and the number of problems as a metric.
 */
export function createProblemReports({ events, logger, metrics }: ProblemReportPorts) {
  const gauge = metrics.gauge({
    name: 'rxlet_pod_source_problems',
    help: 'Number of present problems of pod sources and their pods, by source and reason.',
    labelNames: ['source', 'reason'],
  });
  let known: ReadonlyMap<string, PodSourceProblem> = new Map();
  let counted: ReadonlySet<string> = new Set();

  return (problems: readonly PodSourceProblem[]): void => {
    const next = new Map(problems.map((problem) => [problemKey(problem), problem]));
    for (const [key, problem] of next) if (!known.has(key)) report(problem);
    const paths = new Set(problems.map(locationOf));
    for (const repaired of new Set([...known.values()].map(locationOf))) {
      if (!paths.has(repaired)) logger.info(`${repaired} has no more problems`);
    }
    known = next;
    count(problems);
  };

  function report({ source, path, reason, message, pod }: PodSourceProblem): void {
    logger.warn(message, { source, path, reason });
    if (pod !== undefined && pod.uid !== '')
      events.event(podEventObject({ metadata: pod }), 'Warning', 'FailedValidation', message);
  }

  function count(problems: readonly PodSourceProblem[]): void {
    const counts = new Map([...counted].map((labels) => [labels, 0]));
    for (const { source, reason } of problems) {
      const labels = JSON.stringify([source, reason]);
      counts.set(labels, (counts.get(labels) ?? 0) + 1);
    }
    for (const [labels, value] of counts) {
      const [source, reason] = JSON.parse(labels) as [string, string];
      gauge.set(value, { source, reason });
    }
    counted = new Set(counts.keys());
  }
}

function locationOf({ source, path }: PodSourceProblem): string {
  return path === '' ? `source ${source}` : path;
}
