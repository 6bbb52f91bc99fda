import type { Container, ContainerPort, EphemeralContainer, Mutable, Pod, PodSpec } from '@rxlet/kube-api';
import { isPodLevelResource, podLimits, podRequests } from '../pod-resources.ts';
import { compareQuantities, formatQuantity, makeQuantity, parseQuantity, quantityMilliValue } from '../quantity.ts';
import { defaultVolume } from './default-volume.ts';
import { imagePullPolicyFor } from './image-pull-policy.ts';

type Spec = Mutable<PodSpec>;
type AnyContainer = Mutable<Container | EphemeralContainer>;
type Handler = Pick<NonNullable<AnyContainer['livenessProbe']>, 'httpGet'>;

/** Returns a copy of a pod with the defaults of the API server (k8s.io/kubernetes/pkg/apis/core/v1/defaults.go). */
export function defaultPod(pod: Pod): Pod {
  const defaulted = structuredClone(pod) as Mutable<Pod>;
  const { spec } = defaulted;
  if (spec === undefined) return defaulted;
  spec.restartPolicy ??= 'Always';
  spec.dnsPolicy ??= 'ClusterFirst';
  spec.schedulerName ??= 'default-scheduler';
  spec.securityContext ??= {};
  spec.enableServiceLinks ??= true;
  spec.terminationGracePeriodSeconds ??= 30;
  // The API server accepts negative periods for old clients, and stores the shortest one.
  if (spec.terminationGracePeriodSeconds < 0) spec.terminationGracePeriodSeconds = 1;
  // Validation rejects a pod without containers.
  spec.containers ??= [];
  for (const container of [...spec.containers, ...(spec.initContainers ?? []), ...(spec.ephemeralContainers ?? [])]) {
    defaultContainer(container, spec.hostNetwork === true);
  }
  spec.volumes?.forEach(defaultVolume);
  roundQuantities(spec.overhead);
  roundQuantities(spec.resources?.requests);
  roundQuantities(spec.resources?.limits);
  defaultPodLevelResources(defaulted, spec);
  return defaulted;
}

function defaultContainer(container: AnyContainer, hostNetwork: boolean): void {
  container.imagePullPolicy ??= imagePullPolicyFor(container.image ?? '');
  container.terminationMessagePath ??= '/dev/termination-log';
  container.terminationMessagePolicy ??= 'File';
  container.resources ??= {};
  const { resources } = container;
  roundQuantities(resources.requests);
  roundQuantities(resources.limits);
  // A limit without a request is the request as well.
  if (resources.limits !== undefined) resources.requests = { ...resources.limits, ...resources.requests };
  container.ports?.forEach((port) => defaultPort(port, hostNetwork));
  for (const { valueFrom } of container.env ?? []) {
    if (valueFrom?.fieldRef) valueFrom.fieldRef.apiVersion ??= 'v1';
    if (valueFrom?.resourceFieldRef) valueFrom.resourceFieldRef.divisor ??= '0';
    if (valueFrom?.fileKeyRef) valueFrom.fileKeyRef.optional ??= false;
  }
  for (const probe of [container.livenessProbe, container.readinessProbe, container.startupProbe]) {
    if (probe === undefined) continue;
    probe.timeoutSeconds ??= 1;
    probe.periodSeconds ??= 10;
    probe.successThreshold ??= 1;
    probe.failureThreshold ??= 3;
    if (probe.grpc) probe.grpc.service ??= '';
    defaultHandler(probe);
  }
  defaultHandler(container.lifecycle?.postStart);
  defaultHandler(container.lifecycle?.preStop);
}

function defaultHandler(handler: Mutable<Handler> | undefined): void {
  if (handler?.httpGet === undefined) return;
  handler.httpGet.path ??= '/';
  handler.httpGet.scheme ??= 'HTTP';
}

function defaultPort(port: Mutable<ContainerPort>, hostNetwork: boolean): void {
  port.protocol ??= 'TCP';
  if (hostNetwork && port.containerPort !== undefined) port.hostPort ??= port.containerPort;
}

/** Rounds quantities up to thousandths, the resolution of Kubernetes. */
function roundQuantities(resources: Record<string, string | number> | undefined): void {
  for (const [name, text] of Object.entries(resources ?? {})) {
    const quantity = parseQuantity(text);
    const rounded = makeQuantity(quantityMilliValue(quantity), -3, quantity.format);
    if (compareQuantities(quantity, rounded) < 0) resources![name] = formatQuantity(rounded);
  }
}

/** Defaults the requests of a pod with resources of its own (KEP-2837): the sum of its containers' requests, else its limit. */
function defaultPodLevelResources(pod: Pod, spec: Spec): void {
  const { resources } = spec;
  if (resources === undefined) return;
  const options = { excludeOverhead: true, skipPodLevelResources: true };
  const requests = { ...resources.requests };
  for (const [name, quantity] of Object.entries(podRequests(pod, options))) {
    if (isPodLevelResource(name) && !name.startsWith('hugepages-')) requests[name] ??= formatQuantity(quantity);
  }
  if (resources.requests !== undefined || resources.limits !== undefined) {
    for (const [name, quantity] of Object.entries(podLimits(pod, options))) {
      if (!name.startsWith('hugepages-')) continue;
      resources.limits = { [name]: formatQuantity(quantity), ...resources.limits };
    }
  }
  for (const [name, limit] of Object.entries(resources.limits ?? {})) {
    if (isPodLevelResource(name)) requests[name] ??= limit;
  }
  if (Object.keys(requests).length > 0) resources.requests = requests;
}
