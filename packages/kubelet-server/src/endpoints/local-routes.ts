import type { KubeletServerPorts } from '../ports.ts';
import { jsonAnswer } from '../request/answer.ts';
import type { Route } from '../routing/route.ts';
import { contributedRoutes } from './contributed.ts';
import { eventsRoute } from './events.ts';
import { healthRoutes } from './health.ts';
import { kubeletRoutes } from './kubelet-routes.ts';
import { watchablePodsRoute } from './pods.ts';

/** Returns the routes of the local socket: those of a kubelet, and those that only the owner of the agent has. */
export function localRoutes(ports: KubeletServerPorts, nodeName: string): readonly Route[] {
  const { healthChecks, debugState } = ports;
  return [
    ...kubeletRoutes(ports, healthChecks),
    ...contributedRoutes((ports.endpoints ?? []).filter(({ isLocal }) => isLocal === true)),
    ...healthRoutes(healthChecks, { showsReasons: true }),
    watchablePodsRoute(ports),
    eventsRoute(ports, nodeName),
    ...(debugState === undefined ? [] : [debugStateRoute(debugState)]),
  ];
}

function debugStateRoute(debugState: () => unknown): Route {
  return {
    root: '/debug/state',
    operations: [
      {
        methods: ['GET', 'HEAD'],
        segments: { least: 0, most: 0 },
        produces: 'application/json',
        handle: () => jsonAnswer(debugState()),
      },
    ],
  };
}
