import type { CorePorts } from '@rxlet/agent-api';
import { containerSteps, hookRunner } from '@rxlet/agent-api/containers';
import { imageEnsurer } from '@rxlet/agent-api/images';
import { clusterServices, podObjects, runtimeClasses } from '@rxlet/agent-api/kube';
import { exclusiveCpus, nodeObject, nodeResources, podCgroups } from '@rxlet/agent-api/node';
import { podVolumes } from '@rxlet/agent-api/volumes';
import { imagesOnNode, type RuntimeManagerPorts } from '@rxlet/runtime-manager';
import type { ModuleHost } from '../host/module-host.ts';

/** Returns the ports of the runtime manager: those of the core, and the services and steps of modules. `stopping` aborts when the agent begins to stop. */
export function runtimeManagerPorts(
  { runtime, images, clock, random, events, journal, files, hostFiles, logger, metrics }: CorePorts,
  { find, contributions }: Pick<ModuleHost, 'find' | 'contributions'>,
  stopping: AbortSignal,
): RuntimeManagerPorts {
  return {
    runtime,
    images: find(imageEnsurer) ?? imagesOnNode(images),
    imageService: images,
    clock,
    random,
    events,
    journal,
    files,
    hostFiles,
    hooks: find(hookRunner),
    containerSteps: contributions(containerSteps),
    volumes: find(podVolumes),
    objects: find(podObjects),
    services: find(clusterServices),
    runtimeClasses: find(runtimeClasses),
    nodeObject: find(nodeObject),
    nodeResources: find(nodeResources),
    podCgroups: find(podCgroups),
    exclusiveCpus: find(exclusiveCpus),
    stopping,
    logger,
    metrics,
  };
}
