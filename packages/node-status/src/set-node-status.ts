import type { EventType } from '@rxlet/component-base/events';
import { errorMessage } from '@rxlet/component-base';
import type { Mutable, Node } from '@rxlet/kube-api';
import type { NodeStatusInputs } from './node-status-inputs.ts';
import { setNodeAddresses } from './setters/node-addresses.ts';
import { setNodeCondition } from './setters/node-conditions.ts';
import { setImages, setNodeInfo, setRuntimeFeatures } from './setters/node-info.ts';
import { setNodeResources } from './setters/node-resources.ts';
import { readyCondition } from './setters/ready-condition.ts';

/** An event about the node. */
export interface NodeEvent {
  readonly type: EventType;
  readonly reason: string;
  readonly message: string;
}

/** A Node object with a newly computed status. */
export interface ComputedNode {
  readonly node: Node;
  /** Events that report what has changed. */
  readonly events: readonly NodeEvent[];
  /** Parts of the status that cannot be computed. They stay as they are. */
  readonly errors: readonly string[];
}

/** Computes the status of a Node object, in the order of the kubelet's setters. The node itself is not changed. */
export function setNodeStatus(before: Node, inputs: NodeStatusInputs): ComputedNode {
  const { settings, machine, runtime, images, nowMs } = inputs;
  const node = structuredClone(before) as Mutable<Node>;
  const status = (node.status ??= {});
  const errors: string[] = [];
  const events: NodeEvent[] = [];
  const isNow = (reason: string | undefined): void => {
    if (reason !== undefined) events.push(nodeStatusEvent(settings.name, reason));
  };

  try {
    setNodeAddresses(node, settings, inputs.addresses);
  } catch (error) {
    errors.push(errorMessage(error));
  }
  setNodeResources(node, inputs);
  if (setNodeInfo(node, settings, machine, runtime)) {
    const message = `Node ${settings.name} has been rebooted, boot id: ${machine?.bootId ?? ''}`;
    events.push({ type: 'Warning', reason: 'Rebooted', message });
  }
  status.daemonEndpoints = { kubeletEndpoint: { Port: settings.kubeletPort ?? 10250 } };
  if (images === undefined) errors.push('error getting image list');
  setImages(node, images ?? [], settings.maxImages);
  setRuntimeFeatures(node, runtime);
  status.declaredFeatures = [...settings.declaredFeatures];
  Object.assign(status, inputs.fields);
  for (const condition of inputs.conditions) isNow(setNodeCondition(node, condition, nowMs));
  const { localStorageIsolation = true } = settings;
  isNow(setNodeCondition(node, readyCondition(node, { ...inputs, localStorageIsolation }), nowMs));
  return { node, events, errors };
}

/** Returns the event that reports a new state of the node. */
export function nodeStatusEvent(nodeName: string, reason: string): NodeEvent {
  return { type: 'Normal', reason, message: `Node ${nodeName} status is now: ${reason}` };
}
