import type { Clock, Random } from '@rxlet/component-base';
import type { StoredObject } from '../api-object.ts';
import type { User } from '../auth/user.ts';
import type { Versionless } from '../store/object-store.ts';

/** The outside world of a rule. */
export interface RuleContext {
  readonly clock: Clock;
  readonly random: Random;
  /** The user whose request it is. */
  readonly user: User;
}

/** Rules for objects of one kind, beside those for all. Each returns a new object, or throws an `ApiError`. */
export interface ObjectRules {
  /** Completes a new object, before it is stored. */
  readonly create?: (object: Versionless, context: RuleContext) => Versionless;
  /** Restricts or completes a change; `next` has the metadata that it will be stored with. */
  readonly update?: (
    next: StoredObject,
    previous: StoredObject,
    subresource: string | undefined,
    context: RuleContext,
  ) => StoredObject;
}
