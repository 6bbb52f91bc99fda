import type { Pod, Service, ServicePort } from '@rxlet/kube-api';
import { isTerminalPhase } from '@rxlet/pod-model';
import { sameValue } from '@rxlet/kube-api/strategic-merge';
import { type Controller, controllerReference } from './controller.ts';
import { readySinceMs } from './pod-facts.ts';
import { workloadTypes } from './workloads.ts';

const { endpointSlices } = workloadTypes;
const SERVICE_LABEL = 'kubernetes.io/service-name';
const MANAGER = { 'endpointslice.kubernetes.io/managed-by': 'fake-kube' };
/** Endpoints of one slice, as in a cluster. */
const SLICE_SIZE = 100;

/** Lists the pods of each Service with a selector in EndpointSlices. @param services resource of the Services */
export function endpointSliceController(services: Controller['type']): Controller {
  return {
    type: services,
    reconcile(object, ports) {
      const { metadata, spec } = object as unknown as Service;
      const { selector } = spec ?? {};
      const namespace = object.metadata.namespace;
      if (selector === undefined || spec?.type === 'ExternalName') return undefined;
      const pods = (ports.store.list(ports.types.pods, namespace) as unknown as readonly Pod[]).filter((pod) =>
        isEndpoint(pod, selector),
      );
      const known = ports.ownedBy(endpointSlices, object.metadata.uid);
      const count = Math.max(1, Math.ceil(pods.length / SLICE_SIZE));
      for (let index = 0; index < count; index += 1) {
        const own = pods.slice(index * SLICE_SIZE, (index + 1) * SLICE_SIZE);
        const name = `${metadata?.name ?? ''}-${String(index)}`;
        const content = {
          addressType: 'IPv4',
          endpoints: own.map(endpointOf),
          ports: (spec?.ports ?? []).map((port) => portOf(port, own[0])),
        };
        const before = known.find((slice) => slice.metadata.name === name);
        if (before === undefined) {
          const labels = { ...MANAGER, [SERVICE_LABEL]: metadata?.name ?? '' };
          const owned = { name, namespace, labels, ownerReferences: [controllerReference(object)] };
          ports.service.create(endpointSlices, namespace, { metadata: owned as never, ...content }, ports.context);
        } else if (
          !sameValue(content, {
            addressType: before['addressType'],
            endpoints: before['endpoints'],
            ports: before['ports'],
          })
        ) {
          ports.store.write(endpointSlices, { ...before, ...content });
        }
      }
      for (const slice of known.filter(
        ({ metadata: { name } }) => Number(name.slice(name.lastIndexOf('-') + 1)) >= count,
      ))
        ports.service.delete(endpointSlices, slice.metadata, {}, ports.context);
      return undefined;
    },
  };
}

/** Reports whether labels have all of a selector. */
export function selects(
  selector: Readonly<Record<string, string>>,
  labels: Readonly<Record<string, string>> = {},
): boolean {
  return Object.entries(selector).every(([key, value]) => labels[key] === value);
}

function isEndpoint({ metadata, status }: Pod, selector: Readonly<Record<string, string>>): boolean {
  return status?.podIP !== undefined && !isTerminalPhase(status.phase) && selects(selector, metadata?.labels);
}

function endpointOf(pod: Pod): object {
  const isTerminating = pod.metadata?.deletionTimestamp !== undefined;
  const isServing = readySinceMs(pod) !== undefined;
  return {
    addresses: [pod.status?.podIP],
    conditions: { ready: isServing && !isTerminating, serving: isServing, terminating: isTerminating },
    nodeName: pod.spec?.nodeName,
    targetRef: { kind: 'Pod', namespace: pod.metadata?.namespace, name: pod.metadata?.name, uid: pod.metadata?.uid },
  };
}

function portOf({ name = '', port, targetPort, protocol = 'TCP' }: ServicePort, pod: Pod | undefined): object {
  const named = (pod?.spec?.containers ?? [])
    .flatMap(({ ports = [] }) => ports)
    .find((each) => each.name === targetPort);
  return {
    name,
    protocol,
    port: typeof targetPort === 'string' ? (named?.containerPort ?? port) : (targetPort ?? port),
  };
}
