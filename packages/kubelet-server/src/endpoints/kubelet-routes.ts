import type { HealthCheck } from '@rxlet/agent-api';
import type { KubeletServerPorts } from '../ports.ts';
import type { Route } from '../routing/route.ts';
import { streamRoutes } from '../streams/stream-routes.ts';
import { checkpointRoute } from './checkpoint.ts';
import { withCompressedMetrics } from './compress.ts';
import { configzRoute, disabledRoute, verbosityRoute } from './configuration.ts';
import { contributedRoutes } from './contributed.ts';
import { healthRoutes } from './health.ts';
import { metricsRoute } from './metrics.ts';
import { nodeLogsRoute } from './node-logs/node-logs.ts';
import { podsRoute } from './pods.ts';
import { profilesRoute } from './profiles.ts';
import { runRoute } from './run.ts';
import { runningPodsRoute } from './running-pods.ts';
import { createSliMetrics } from './sli-metrics.ts';
import { flagzRoute, statuszRoute } from './status-pages.ts';

/** Endpoints that a kubelet can switch off, by its names. */
export interface EndpointSwitches {
  /** Everything that is more than reading pods and measurements. Default: on. */
  readonly enableDebuggingHandlers?: boolean | undefined;
  /** `/logs/`. Default: on. */
  readonly enableSystemLogHandler?: boolean | undefined;
  /** Queries of `/logs/` for the logs of services. Default: off. */
  readonly enableSystemLogQuery?: boolean | undefined;
  /** `/debug/pprof/`. Default: on. */
  readonly enableProfilingHandler?: boolean | undefined;
  /** `/debug/flags/v`. Default: on. */
  readonly enableDebugFlagsHandler?: boolean | undefined;
  /** `/checkpoint` (feature gate ContainerCheckpoint). Default: on. */
  readonly enableCheckpoint?: boolean | undefined;
}

/** Returns the routes of a kubelet. The checks are those of `/healthz`. */
export function kubeletRoutes(
  ports: KubeletServerPorts,
  checks: readonly HealthCheck[],
  switches: EndpointSwitches = {},
): readonly Route[] {
  return withCompressedMetrics(plainRoutes(ports, checks, switches));
}

function plainRoutes(
  ports: KubeletServerPorts,
  checks: readonly HealthCheck[],
  switches: EndpointSwitches,
): readonly Route[] {
  const sli = createSliMetrics(ports.startTimeMs ?? 0);
  const contributed = contributedRoutes((ports.endpoints ?? []).filter(({ isLocal }) => isLocal !== true));
  const basic: readonly Route[] = [
    ...healthRoutes(checks, { onOutcome: (name, passed) => sli.record(name, passed) }),
    sli.route,
    podsRoute(ports),
    metricsRoute(ports),
  ];
  if (switches.enableDebuggingHandlers === false) {
    return [...basic, ...contributed.filter(isOnReadOnlyPort), ...debuggingDisabledRoutes()];
  }
  const routes = [...basic, ...contributed, ...debuggingRoutes(ports, switches)];
  return [...routes, ...statusRoutes(ports, routes)];
}

/** Returns the routes of the read-only port, out of all of a kubelet. */
export function readOnlyRoutes(routes: readonly Route[]): readonly Route[] {
  return [...routes.filter(isOnReadOnlyPort), ...debuggingDisabledRoutes()];
}

function isOnReadOnlyPort(route: Route): boolean {
  return route.isOnReadOnlyPort === true;
}

const DEBUGGING_PATHS: readonly string[] = [
  '/run/',
  '/exec/',
  '/attach/',
  '/portForward/',
  '/containerLogs/',
  '/runningpods/',
  '/debug/pprof/',
  '/logs/',
];

function debuggingDisabledRoutes(): readonly Route[] {
  return DEBUGGING_PATHS.map((pattern) => disabledRoute(pattern, 'Debug endpoints are disabled.'));
}

function debuggingRoutes(ports: KubeletServerPorts, switches: EndpointSwitches): readonly Route[] {
  const { pods, runtime, clock, nodeLogs, setVerbosity, configuration, checkpointDirectory, onWebSocketStream } = ports;
  const logs =
    nodeLogs === undefined
      ? []
      : [nodeLogsRoute(nodeLogs, clock, { hasQueries: switches.enableSystemLogQuery === true })];
  const verbosity = setVerbosity === undefined ? [] : [verbosityRoute(setVerbosity)];
  return [
    ...(switches.enableSystemLogHandler === false ? [disabledRoute('/logs/', 'logs endpoint is disabled.')] : logs),
    ...(switches.enableProfilingHandler === false
      ? [disabledRoute('/debug/pprof/', 'profiling endpoint is disabled.')]
      : [profilesRoute(clock)]),
    ...(switches.enableDebugFlagsHandler === false
      ? [disabledRoute('/debug/flags/v', 'flags endpoint is disabled.')]
      : verbosity),
    ...(runtime === undefined
      ? []
      : [
          runRoute(pods, runtime),
          ...streamRoutes({ pods, runtime, clock, onWebSocketStream }),
          runningPodsRoute(runtime),
        ]),
    ...(runtime === undefined || checkpointDirectory === undefined || switches.enableCheckpoint === false
      ? []
      : [checkpointRoute({ pods, runtime, clock, directory: checkpointDirectory })]),
    ...(configuration === undefined ? [] : [configzRoute(configuration)]),
  ];
}

/** Comes last, because the page has the paths of the others. */
function statusRoutes(
  { clock, flags, version, startTimeMs = 0 }: KubeletServerPorts,
  routes: readonly Route[],
): readonly Route[] {
  const flagz = flags === undefined ? [] : [flagzRoute(flags)];
  if (version === undefined) return flagz;
  const handlers = [...routes, ...flagz].flatMap((route) => ('pattern' in route ? [route.pattern] : []));
  const paths = [...new Set(handlers.map((pattern) => `/${pattern.split('/')[1]!}`))].sort();
  return [...flagz, statuszRoute(clock, { startTimeMs, version, paths: () => paths })];
}
