/** Runs the creation of something that owns `resources`. When it fails, disposes of them and rejects with the failure, and with that of the disposal if there is one. */
export async function rollBackOnFailure<T>(resources: AsyncDisposable, create: () => Promise<T> | T): Promise<T> {
  try {
    return await create();
  } catch (error) {
    try {
      await resources[Symbol.asyncDispose]();
    } catch (disposalError) {
      throw new SuppressedError(disposalError, error, 'cannot dispose of what was created before the failure');
    }
    throw error;
  }
}
