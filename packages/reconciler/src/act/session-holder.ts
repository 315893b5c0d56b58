/** Who GitHub says holds the session that it refuses, where its wording names them; not every version of it does. */
export function holderIn(message: string): string | undefined {
  // Hosts and scale sets have such letters; anything else would be a stranger's text in our state.
  return /\bcurrent owner: ([\w.:@-]{1,200})/i.exec(message)?.[1]?.replace(/[.:]+$/, '');
}
