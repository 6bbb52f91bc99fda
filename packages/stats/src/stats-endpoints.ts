import { EndpointError, type EndpointResponse, type HttpEndpoint } from '@rxlet/agent-api/http';
import { errorMessage, type Logger } from '@rxlet/component-base';
import type { UseSample } from './history/use-history.ts';
import type { CadvisorProvider } from './metrics/cadvisor-provider.ts';
import { formatMetrics, METRICS_CONTENT_TYPE, type MetricFamily } from './metrics/exposition.ts';
import { resourceMetrics } from './metrics/resource-metrics.ts';
import { selectMetrics } from './metrics/select-metrics.ts';
import type { SummaryProvider } from './node/summary-provider.ts';
import { formatSummary } from './summary/format-summary.ts';

/** Ports of {@link statsEndpoints}. */
export interface StatsEndpointsPorts {
  readonly summaries: Pick<SummaryProvider, 'summary' | 'cpuAndMemory'>;
  readonly cadvisor: CadvisorProvider;
  /** Returns the use of the node over the last hour, the oldest sample first. */
  history(): readonly UseSample[];
  /** Returns the agent's own metrics; `undefined` when it has none. */
  readonly ownMetrics: (() => Promise<{ readonly text: string }>) | undefined;
  /** Returns the start of the process, in seconds since the epoch; `undefined` when it is not known. */
  processStartSeconds(): number | undefined;
  readonly logger: Logger;
}

const JSON_TYPE = 'application/json';

/** Returns the endpoints of statistics. Each measures when it is asked. */
export function statsEndpoints(ports: StatsEndpointsPorts): readonly HttpEndpoint[] {
  const { summaries, cadvisor, history, ownMetrics, processStartSeconds, logger } = ports;
  const metrics = (body: string): EndpointResponse => {
    const started = processStartSeconds();
    const headers: Record<string, string> = {};
    if (started !== undefined) headers['process-start-time-unix'] = String(Math.trunc(started));
    return { contentType: METRICS_CONTENT_TYPE, headers, body };
  };
  return [
    {
      path: 'stats/summary',
      produces: JSON_TYPE,
      isOnReadOnlyPort: true,
      async handle({ parameters, signal }) {
        const values = parameters.getAll('only_cpu_and_memory');
        const isShort = values.length === 1 && values[0] === 'true';
        try {
          const summary = await (isShort ? summaries.cpuAndMemory(signal) : summaries.summary(signal));
          return { contentType: JSON_TYPE, body: formatSummary(summary) };
        } catch (error) {
          throw new EndpointError(500, `Internal Error: ${errorMessage(error)}`);
        }
      },
    },
    {
      path: 'stats/history',
      produces: JSON_TYPE,
      handle: () => ({ contentType: JSON_TYPE, body: JSON.stringify({ samples: history() }) }),
    },
    {
      path: 'metrics/cadvisor',
      isOnReadOnlyPort: true,
      handle: async ({ signal }) => metrics(formatMetrics(await cadvisor(signal))),
    },
    {
      path: 'metrics/resource',
      isOnReadOnlyPort: true,
      async handle({ signal }) {
        const summary = await summaries.cpuAndMemory(signal).catch((error: unknown) => {
          logger.warn('cannot measure the node and its pods', { error: errorMessage(error) });
          return undefined;
        });
        return metrics(formatMetrics(resourceMetrics(summary)));
      },
    },
    {
      path: 'metrics/probes',
      isOnReadOnlyPort: true,
      async handle() {
        const own = (await ownMetrics?.())?.text ?? '';
        return metrics(selectMetrics(own, 'prober_') + formatMetrics([startTimeMetric(processStartSeconds())]));
      },
    },
  ];
}

function startTimeMetric(started: number | undefined): MetricFamily {
  return {
    name: 'process_start_time_seconds',
    help: '[ALPHA] Start time of the process since unix epoch in seconds.',
    type: 'gauge',
    samples: started === undefined ? [] : [{ value: started }],
  };
}
