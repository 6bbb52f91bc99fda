import { containerSteps, hookRunner } from '@rxlet/agent-api/containers';
import { imageEnsurer } from '@rxlet/agent-api/images';
import { clusterServices, podObjects, runtimeClasses } from '@rxlet/agent-api/kube';
import { nodeObject, nodeResources, podCgroups } from '@rxlet/agent-api/node';
import { podVolumes } from '@rxlet/agent-api/volumes';
import type { ImageService } from '@rxlet/cri-api';
import { imagesOnNode, type RuntimeManagerPorts } from '@rxlet/runtime-manager';
import type { ModuleHost } from '../host/module-host.ts';

/** Returns the services of modules that the runtime manager uses: images, hooks, and what the configurations of sandboxes and containers come from. */
export function containerServices(
  { find, contributions }: Pick<ModuleHost, 'find' | 'contributions'>,
  imageService: ImageService,
): Pick<
  RuntimeManagerPorts,
  | 'images'
  | 'imageService'
  | 'containerSteps'
  | 'hooks'
  | 'podCgroups'
  | 'volumes'
  | 'objects'
  | 'services'
  | 'runtimeClasses'
  | 'nodeObject'
  | 'nodeResources'
> {
  return {
    images: find(imageEnsurer) ?? imagesOnNode(imageService),
    imageService,
    containerSteps: contributions(containerSteps),
    hooks: find(hookRunner),
    podCgroups: find(podCgroups),
    volumes: find(podVolumes),
    objects: find(podObjects),
    services: find(clusterServices),
    runtimeClasses: find(runtimeClasses),
    nodeObject: find(nodeObject),
    nodeResources: find(nodeResources),
  };
}
