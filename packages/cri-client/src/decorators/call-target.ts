interface PossibleTargets {
  readonly containerId?: string;
  readonly podSandboxId?: string;
  readonly config?: { readonly metadata?: { readonly namespace?: string; readonly name?: string } };
  readonly image?: { readonly image?: string };
}

/** Whom a request is about: the id of a container or sandbox, the name of a pod to be, the reference of an image. Empty for all others. */
export function callTarget(request: object): string {
  const { containerId, podSandboxId, config, image } = request as PossibleTargets;
  if (containerId) return containerId;
  const name = [config?.metadata?.namespace, config?.metadata?.name].filter(Boolean).join('/');
  return [podSandboxId, name].filter(Boolean).join('/') || (image?.image ?? '');
}
