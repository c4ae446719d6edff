// The key, for this tab and as long as it is open: never in a cookie, in the address or on disk.

const NAME = "notilog.key";

export const session = {
  get key() {
    return sessionStorage.getItem(NAME);
  },
  signIn(key) {
    sessionStorage.setItem(NAME, key);
  },
  signOut() {
    sessionStorage.removeItem(NAME);
  },
};
