interface PossibleTargets {
  readonly containerId?: string;
  readonly podSandboxId?: string;
  readonly config?: { readonly metadata?: { readonly namespace?: string; readonly name?: string } };
  readonly image?: { readonly image?: string };
}

/** Returns the subject of a request: id of a container or sandbox, name of a new pod, or reference of an image; empty for other requests. */
export function callTarget(request: object): string {
  const { containerId, podSandboxId, config, image } = request as PossibleTargets;
  if (containerId) return containerId;
  const name = [config?.metadata?.namespace, config?.metadata?.name].filter(Boolean).join('/');
  return [podSandboxId, name].filter(Boolean).join('/') || (image?.image ?? '');
}
