// The key, for this tab and as long as it is open: never in a cookie, in the address or on disk. A tab that is opened by a
// link of this one is given it from here, and loses it when this one signs out.

const NAME = "notilog.key";

const others = new BroadcastChannel(NAME);
/** Addresses of links that were just opened in tabs of their own, as far as the page can know. */
const opened = new Set();
let lost = () => {};

export const session = {
  get key() {
    return sessionStorage.getItem(NAME);
  },
  /** Whether the key says that it is of scope admin, which may add and remove. The service decides. */
  get isAdmin() {
    return this.key?.startsWith("nlg_a_") ?? false;
  },
  signIn(key) {
    sessionStorage.setItem(NAME, key);
  },
  signOut() {
    const key = this.key;
    sessionStorage.removeItem(NAME);
    if (key) others.postMessage({ left: key });
  },
  /** Asks the tab that this one was opened from, if there is one; calls `taken` when it answers before anybody signs in. */
  adopt(taken) {
    const address = location.hash;
    const take = ({ data }) => {
      if (data.address !== address || !data.key) return;
      others.removeEventListener("message", take);
      if (this.key) return;
      this.signIn(data.key);
      taken();
    };
    others.addEventListener("message", take);
    others.postMessage({ asked: address });
  },
  /** Calls `leave` when a tab with the same key signs out. */
  watch(leave) {
    lost = leave;
  },
};

others.addEventListener("message", ({ data }) => {
  if (data.left && data.left === session.key) {
    sessionStorage.removeItem(NAME);
    lost();
  }
  // A link is followed once.
  if (data.asked && session.key && opened.delete(data.asked)) others.postMessage({ address: data.asked, key: session.key });
});

/** With a key held, by another button than the first, or from the menu: a tab or window of its own is likely. */
function note(event) {
  const link = event.target.closest?.("a[href^='#']");
  if (link && (event.type !== "click" || event.ctrlKey || event.metaKey || event.shiftKey)) opened.add(link.hash);
}
for (const type of ["click", "auxclick", "contextmenu"]) addEventListener(type, note);
